/** Texts about one's collection, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  title: "Koleksiyonunuz",
  help: "Burada sakladığınız dosya maçları: sunucu onları değerlendirir, başka kimse görmez.",
  none: "Henüz maç saklamıyorsunuz: aşağıda bir dosya açın ve saklayın.",
  heads: ["Maç", "Skor", "PR", "Şans", ""],
  waits: "değerlendirilmeyi bekliyor",
  keep: (count) => (count === 1 ? "Koleksiyonda sakla" : `Bu ${count} maçı sakla`),
  you: "Siz",
  neither: "ikisi de değil",
  keeping: (done, all) => `Saklandı: ${done} / ${all}`,
  tooLong: "Bu maç saklanamayacak kadar uzun.",
  account: "Hesabınız olursa sunucu böyle maçları sizin için saklar ve değerlendirir.",
  toIt: "Koleksiyonunuza",
  discard: "At",
  discardThis: (players) => `${players} maçını at`,
  forGood: "Maç ve değerlendirmesi geri gelmemek üzere silinir. Dosyanız kalır.",
  cancel: "Kalsın",
};
