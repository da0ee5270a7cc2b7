/** Texts of tournaments' calls, in Turkish. */
import type { en } from "./en.ts";

export const tr: typeof en = {
  come: (name, round) => `${name} sizi çağırıyor: ${round}. tur başlıyor. Gelmezseniz turu kaybedersiniz.`,
  comeLast: (name) => `${name} sizi çağırıyor: son tur başlıyor. Gelmezseniz turu kaybedersiniz.`,
  board: (name) => `${name} sizi masada bekliyor.`,
  won: (name, round, opponent) => `${name}: ${round}. turu kazandınız; ${opponent} gelmedi.`,
  lost: (name, round, opponent) => `${name}: ${round}. tura gelmediniz; kazanan: ${opponent}.`,
  bye: (name, round) => `${name}: ${round}. turu boş geçiyorsunuz; bu, galibiyet sayılır.`,
  go: "Oyna",
  see: "Göster",
  close: "Kapat",
  title: "Çağrılıyorsunuz",
  left: (time) => `${time} kaldı`,
};
