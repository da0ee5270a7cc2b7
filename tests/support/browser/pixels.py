"""Pixels of a page: their colours, and how well these can be told apart."""

from playwright.sync_api import Page

from tests.support.browser.chromium import Person

Colour = tuple[int, int, int]
Spot = tuple[float, float]  # CSS pixels from the left and from the top
Box = tuple[float, float, float, float]  # the same of its corner, its width and its height
DRAWN = """async ([png, places]) => {
    const bytes = Uint8Array.from(atob(png), letter => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);"""
READ = (
    DRAWN
    + """
    return places.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
}"""
)

READ_BOXES = (
    DRAWN
    + """
    return places.map(box => {
        const { data } = context.getImageData(...box);
        const counts = new Map();
        for (let i = 0; i < data.length; i += 4) {
            const colour = data.slice(i, i + 3).join();
            counts.set(colour, (counts.get(colour) ?? 0) + 1);
        }
        return [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour.split(",").map(Number));
    });
}"""
)


def colours(reader: Page, person: Person, spots: list[Spot]) -> list[Colour]:
    """The colours at some places of a person's page, as they are shown. reader: a blank page."""
    scale = person.page.evaluate("devicePixelRatio")
    found = reader.evaluate(READ, [_picture(person), [[round(x * scale), round(y * scale)] for x, y in spots]])
    return [(red, green, blue) for red, green, blue in found]


def legible(reader: Page, person: Person, boxes: list[Box]) -> list[float]:
    """The contrast of the writing in each box with its ground, the colour of which there is most."""
    scale = person.page.evaluate("devicePixelRatio")
    pixels = [[round(part * scale) for part in box] for box in boxes]
    found = reader.evaluate(READ_BOXES, [_picture(person), pixels])
    return [max(contrast(ground, one) for one in (ground, *others)) for ground, *others in found]


def _picture(person: Person) -> str:
    """The page as a PNG in base64, hardly packed: to pack it takes longer than all else here."""
    width, height, scale = person.page.evaluate("[innerWidth, innerHeight, devicePixelRatio]")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
    session = person.context.new_cdp_session(person.page)
    png: str = session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True, "clip": clip})["data"]
    session.detach()
    return png


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio"."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    parts = [value / 255 for value in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
