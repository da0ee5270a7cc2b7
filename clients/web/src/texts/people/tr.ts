/** Texts of friends and reports, in Turkish. */
import type { en } from "./en.ts";

export const tr: typeof en = {
  friends: "Arkadaşlar",
  nobody: "Henüz kimseyi takip etmiyorsunuz.",
  whom: "Takip edilecek oyuncu",
  follow: "Takip et",
  unfollow: "Takibi bırak",
  unfollowName: (name) => `Takibi bırak: ${name}`,
  here: "burada",
  away: "burada değil",
  shy: "takip edilmek istemiyor",
  followers: "Başkaları beni takip edebilir",
  secret: "Kimin kimi takip ettiği kimseye söylenmez.",
  came: (name) => `${name} geldi.`,
  plays: (name, opponent) => `${name}, ${opponent} ile oynuyor.`,
  opened: (name) => `${name} bir masa açtı.`,
  reportWhy: "Ne oldu?",
  reported: "Yöneticilere iletildi. Teşekkürler.",
};
