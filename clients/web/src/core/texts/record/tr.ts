/** What is wrong with a record, or is proved by it, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  faultOrder: (number) => `Kayıtta ${number}. atıştan sonra gelen olamaz: hamlesiz, sırasız ya da fazla bir atış.`,
  faultTold: (made, told) => `${made} atış yapıldı; kayıt ${told} atış anlatıyor.`,
  faultDiffers: (number) => `Kayıt ${number}. atışı gösterildiğinden başka anlatıyor.`,
  faultFalls: (seq, before) => `Girişlerin numaraları geriye gidiyor: ${before} ardından ${seq} geliyor.`,
  faultBehind: (what) => `Maçın sonundan sonra bir olay daha var: ${what}.`,
  faultRuling: "Maçın sonundan sonra hiçbir şeyi değiştirmeyen bir karar var.",
  faultFlag: (name, left) => `${name}, kaydın saatlerine göre ${left} süresi varken zamandan kaybediyor.`,
  soundRolls: (rolls) =>
    `${rolls === 1 ? "Tek atış" : `${rolls} atışın hepsi`} maçtan önce bildirilen tohumlardan ve sırayla çıkıyor, her hamle kurallara uygun.`,
  notOver: "Zarlar maç bitince denetlenebilir.",
};
