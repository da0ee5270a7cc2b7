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
  ownPlay: "Nasıl oynuyorsunuz",
  judged: (matches, decisions, by) => `${matches} puanlı maç, ${decisions} karar, değerlendiren: ${by}`,
  hard: (right, hard, hardS, othersS) =>
    `Zor hamleler: ${hard} hamleden ${right} tanesi değerlendirenle aynı; biri ${hardS} sn, diğerleri ${othersS} sn`,
  met: "En çok şu oyuncularla:",
  puzzles: (rating) => `Bulmacalar ${rating}`,
  errors: "Ne, nerede kaybettirdi",
  errorHeads: ["Nerede", "Karar", "PR", "Kayıp", "En pahalısı"],
  whats: {
    play: "Hamleler",
    double: "Katlamalar",
    take: "Kabuller",
    opening: "Açılış",
    "middle game": "Orta oyun",
    race: "Yarış",
    "bear-off": "Toplama",
  },
  noVerdict:
    "Bunu yalnızca siz ve yöneticiler görür. En iyi oyuncuların PR'si 3'tür ve zor hamlelerde daha uzun düşünürler.",
  reportWhy: "Ne oldu?",
  reported: "Yöneticilere iletildi. Teşekkürler.",
};
