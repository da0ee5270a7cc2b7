/** Texts about matches in files, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  title: "Her programın maçları",
  help: ".xg, .bgf, .mat, .sgf, .ogxm ya da .json dosyaları seçin, buraya bırakın ya da yapıştırın; konum içeren bir metin de olur. Tarayıcınızda okunur; siz saklamadıkça hiçbir yere gönderilmez.",
  folder: "Ya da bütün bir klasör",
  found: "Bu dosyalardaki maçlar",
  positions: "İçindeki konumlar",
  pasted: "Yapıştırılan metin",
  nothing: "Bunların arasında maç yok: dosya adı .xg, .bgf, .mat, .sgf, .ogxm ya da .json ile bitmeli.",
  unreadable: (name) =>
    `${name} okunamıyor: bozuk ya da başka biçimde. Terminalde tavla replay DOSYA daha çoğunu okur ya da yanlışı söyler.`,
  more: "Dosyada bir maç daha var: ilki okundu.",
  cut: (game, turn) => `${game}. oyunun ${turn}. elinde geçersiz bir hamle var: oraya kadar okundu.`,
  unfinished: "Maçın sonu yok.",
  judged: (by) =>
    `Dosyada değerlendiren: ${by}. Sıralama ve çizgiler tarayıcınızdan: tek hamle derinliğinde, hamleler küpsüz.`,
};
