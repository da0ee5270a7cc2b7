"""What is to be seen on a page: the colours of its pixels, and how well they can be told apart."""

import base64

from playwright.sync_api import Page

from tests.support.browser import Person

Colour = tuple[int, int, int]
Spot = tuple[float, float]  # CSS pixels from the left and from the top
READ = """async ([png, spots]) => {
    const bytes = Uint8Array.from(atob(png), letter => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return spots.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
}"""


def colours(reader: Page, person: Person, spots: list[Spot]) -> list[Colour]:
    """The colours at some places of a person's page, as they are shown. reader: a blank page."""
    scale = person.page.evaluate("devicePixelRatio")
    png = base64.b64encode(person.page.screenshot()).decode()
    found = reader.evaluate(READ, [png, [[round(x * scale), round(y * scale)] for x, y in spots]])
    return [(red, green, blue) for red, green, blue in found]


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio"."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    parts = [value / 255 for value in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
