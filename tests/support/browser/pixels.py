"""Pixels of a page: their colours, and how well these can be told apart."""

import math

from playwright.sync_api import Page

from tests.support.browser.person import Person

Colour = tuple[int, int, int]
Spot = tuple[float, float]  # CSS pixels from the left and from the top
Box = tuple[float, float, float, float]  # the same of its corner, its width and its height
# What eyes without one of three kinds of cones see: the three parts of a colour's light from each of its own. Source:
# Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009.
EYES: dict[str, list[tuple[float, float, float]]] = {
    "none": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "protanopia": [(0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)],
    "deuteranopia": [(0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)],
    "tritanopia": [(1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)],
}
DRAWN = """async ([png, places]) => {
    const image = await createImageBitmap(await (await fetch("data:image/png;base64," + png)).blob());
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
        for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
        const parts = ([pixel]) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
        return [...counts].sort((a, b) => b[1] - a[1]).map(parts);
    });
}"""
)


def colours(reader: Page, person: Person, spots: list[Spot]) -> list[Colour]:
    """The colours at some places of a person's page, as they are shown. reader: a blank page."""
    png, (left, top, scale) = _picture(person, [(x, y, 1, 1) for x, y in spots])
    found = reader.evaluate(READ, [png, [[round((x - left) * scale), round((y - top) * scale)] for x, y in spots]])
    return [(red, green, blue) for red, green, blue in found]


def legible(reader: Page, person: Person, boxes: list[Box]) -> list[float]:
    """The contrast of the writing in each box with its ground, the colour of which there is most."""
    png, (left, top, scale) = _picture(person, boxes)
    pixels = [[round(part * scale) for part in (x - left, y - top, *size)] for x, y, *size in boxes]
    found = reader.evaluate(READ_BOXES, [png, pixels])
    return [max(contrast(ground, one) for one in (ground, *others)) for ground, *others in found]


def _picture(person: Person, boxes: list[Box]) -> tuple[str, tuple[int, int, float]]:
    """The part of a page that has some boxes, as a PNG in base64; where it begins, and pixels to each CSS pixel.

    It is hardly packed: to pack it takes longer than all else here.
    """
    scale = person.page.evaluate("devicePixelRatio")
    left, top = (math.floor(min(box[side] for box in boxes)) for side in (0, 1))
    width, height = (math.ceil(max(box[side] + box[side + 2] for box in boxes)) + 1 for side in (0, 1))
    clip = {"x": left, "y": top, "width": width - left, "height": height - top, "scale": scale}
    session = person.context.new_cdp_session(person.page)
    png: str = session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True, "clip": clip})["data"]
    session.detach()
    return png, (left, top, scale)


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio"."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def seen_by(eye: str, colour: Colour) -> Colour:
    """The colour as one of `EYES` sees it."""
    light = _light(colour)
    red, green, blue = (sum(share * part for share, part in zip(row, light, strict=True)) for row in EYES[eye])
    return _value(red), _value(green), _value(blue)


def _light(colour: Colour) -> list[float]:
    """Amounts of light, 0 to 1, that sRGB's values stand for."""
    parts = [value / 255 for value in colour]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def _value(light: float) -> int:
    part = min(max(light, 0.0), 1.0)
    return round(255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))


def _luminance(colour: Colour) -> float:
    red, green, blue = _light(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
