/** Texts of the ledger, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  silent: (name) =>
    `${name} tohum göndermedi. Hattı kopmuş olabilir; ${name} ile sunucu birlikte, zarları seçmek için de bunu yapabilir.`,
  seeksOn: "Başka bir rakip aranıyor…",
  asks: "Bir saat içinde bu ikinci: arama durdu.",
  closed: "Sunucu, zarlarınızı bilebildiği anda maçı nedensiz kapattı.",
  blamed: "Sunucu tohumunuzu göstermediğinizi söylüyor. Zamanında gösterdiniz: kanıtı bu tarayıcıda saklanıyor.",
  notRevealed: "Zar tohumunuz bu cihazdan gösterilmedi.",
  revealLost: "Tohumunuz gönderildi, ama sunucuya ulaşmadan bağlantı koptu.",
  putBack: "Maç geçersiz: sunucu, ilk atıştan önceki bir duruma geri alındı.",
  endTaken: "Sunucu geri alındı ve gördüğünüz bir sonu geri aldı. Gelecek zarları gören olmuş olabilir.",
  vanished: (name) =>
    `Sunucu, ${name} ile bitmemiş maçınızı artık bilmiyor. Zarlarınızı beğenmediği için bırakmış olabilir.`,
  oddFlag: (left) => `Sunucu maçı süre bitti diye kapattığında sizin saatinizde ${left} vardı.`,
  oddClaim: (seconds) => `Sunucu uzakta olduğunuzu söylüyor. Oysa bu sayfaya hep, ${seconds} saniyedir, yanıt verdi.`,
  gone: (name) => `${name} ile maçınız yok oldu: sunucu daha eski bir yedeğe döndürüldü.`,
  counts: (matches, silent, closed, back) =>
    [
      `Burada ${matches} maçın ${silent} tanesi öbür oyuncudan tohum gelmediği için, ${closed} tanesi sunucu yüzünden ilk atıştan önce bitti.`,
      silent ? "Hatlar kopar: ilk türden birkaç maç olağandır." : "",
      back ? `${back} maç daha, sunucu geri alındığı için geçersiz.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  remembered: "Bu tarayıcının hatırladıkları",
  remembers:
    "Bu tarayıcı bir maçtan sonra 90 gün boyunca neye anlaştığınızı, tohumunuzu ve maçın nasıl bittiğini saklar; sonra yalnız sayıları. Böylece sunucu bir maçı eskisinden başka gösterirse size söyleyebilir. Tarayıcı ya da sunucunun kendi sayfası bunların hepsini silebilir; bunlar sizden başka kimseyi inandırmaz.",
  forget: "Bu tarayıcının bu sunucudan hatırladıklarını unut",
  askForget:
    "Sayılarla birlikte hepsi unutulsun mu? Hâlâ tohumunuzu bekleyen bir maç geçersiz olur ve size yazılır. Adınız ve ayarlarınız kalır.",
  yesForget: "Evet, unut",
  forgotten: "Unutuldu.",
};
