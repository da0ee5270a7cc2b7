/** Texts of hints, in Turkish. */
import type { en } from "./en.ts";

export const tr: typeof en = {
  play: "Hamle",
  cube: "Küp",
  equity: "Değer",
  win: "Galip",
  noPlay: "hamle yok",
  noDouble: "Katlama yok",
  doubleTake: "Katla, kabul",
  doubleDrop: "Katla, çekil",
  take: "Kabul",
  drop: "Çekil",
  by: "Sunucunun kendi değerlendiricisi, en çok iki zar ileri.",
  unknownStart: "Böyle başlayan oyunları burada kimse değerlendiremiyor.",
  rating: "PR",
  luck: "Şans",
  judging: (done, all) => `Değerlendiriliyor: ${done} / ${all}`,
  judgedHere:
    "Tarayıcınızda değerlendirildi. PR: hatalar, azı iyidir. Şans: +1, yalnızca zarla kazanılmış bir oyundur.",
  judges: {
    "the house evaluator": "sunucunun kendi değerlendiricisi, iki zar ileri",
    "the house evaluator at a glance": "sunucunun kendi değerlendiricisi, bir zar ileri",
  },
  forNow: (by) => `şimdilik ${by}`,
  judgedThere: (by) =>
    `Değerlendiren: ${by}. PR: hatalar, azı iyidir. Şans: +1, yalnızca zarla kazanılmış bir oyundur.`,
};
