/** Texts about matches in files, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  title: "eXtreme Gammon maçı",
  help: ".xg dosyaları seçin, buraya bırakın ya da yapıştırın. Tarayıcınızda okunur, hiçbir yere gönderilmez.",
  folder: "Ya da bütün bir klasör",
  found: "Bu dosyalardaki maçlar",
  nothing: "Bunların arasında .xg dosyası yok. Öbür biçimleri terminal okur.",
  unreadable: (name) => `${name} okunamıyor: .xg dosyası değil ya da bozuk. Öbür biçimleri terminal okur.`,
  cut: (game, turn) => `${game}. oyunun ${turn}. elinde geçersiz bir hamle var: oraya kadar okundu.`,
  unfinished: "Maçın sonu yok.",
  judged: (by) =>
    `Dosyada değerlendiren: ${by}. Sıralama ve çizgiler tarayıcınızdan: tek hamle derinliğinde, hamleler küpsüz.`,
};
