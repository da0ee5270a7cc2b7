/** Texts of the ledger, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  notChecked: "Zarlar denetlenemedi:",
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
  oddRefusal:
    "Sunucu, bu sayfanın bildiği kurallara göre yapabileceğiniz bir şeyi kabul etmedi. Belki ikisinden biri daha eskidir: sayfayı yeniden yükleyin.",
  inYourName: (did) =>
    `${did}; bunu bu sayfa istemedi. Başka bir yerde de oynuyorsanız siz yapmış olabilirsiniz. Değilse, girişinizi bilen biri ya da sunucu yaptı: varsa parolanızı değiştirin.`,
  did: {
    roll: "Adınıza zar atıldı",
    double: "Adınıza küp teklif edildi",
    take: "Adınıza küp kabul edildi",
    drop: "Adınıza küp reddedildi",
    beaver: "Adınıza küp bir kez daha artırıldı",
    move: "Adınıza bir hamle oynandı",
    resign: "Adınıza pes etme önerildi",
    accept: "Adınıza bir pes kabul edildi",
    refuse: "Adınıza bir pes geri çevrildi",
    forfeit: "Adınıza oyun bırakıldı",
    auto: "Adınıza sunucuya bırakılanlar değiştirildi",
    abort: "Adınıza maçın bozulması istendi, onaylandı ya da geri alındı",
  },
  otherPlay: (shown, sent) =>
    `Sunucu bu sayfanın gönderdiğinden başka bir hamle aldı: ${shown} gösteriyor, gönderilen ${sent} idi. Maçı kaydedin.`,
  decided: (name) => `Sunucu, ${name} bunu ona bırakmadığı halde onun yerine zar attı ya da oynadı.`,
  gone: (name) => `${name} ile maçınız yok oldu: sunucu daha eski bir yedeğe döndürüldü.`,
  counts: (matches, silent, closed, back) =>
    [
      !matches
        ? "Henüz maç yok."
        : `Burada ${matches} maçın ${silent} tanesi öbür oyuncudan tohum gelmediği için, ${closed} tanesi sunucu yüzünden ilk atıştan önce bitti.`,
      silent ? "Hatlar kopar: ilk türden birkaç maç olağandır." : "",
      closed ? "İkinci türden maç olağan değildir: çoğalırsa başka yerde oynayın." : "",
      back ? `${back} maç daha, sunucu geri alındığı için geçersiz.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  who: "Kim hâlâ ne yapabilir",
  whoCould: [
    "Bu sunucuyu işleten, gelecek her zarı bilir ve oyunculardan birine söyleyebilir. Evin programları da bilebilir. Bunu kimse göremez.",
    "Bu sayfayı da o gönderir; başka bir sayfa sizin adınıza oynayabilir. Bilgisayarda tavla check gönderileni karşılaştırır; tavla page ya da terminalle sunucunun hiçbir kodu çalışmaz.",
    "Oyuncuları eşleştiren, sayan, puanları ve saatleri tutan odur. Bir maçı ilk zardan önce kapatabilir: kaç maçın böyle bittiğine bakın. Bir oyuncunun bağlantısını kesebilir, onun adına yazabilir, iki oyuncuya iki ayrı maç gösterebilir: dosyalarınızı karşılaştırın.",
    "Bir maçı daha önceki bir zara geri alabilir: sonra gelenleri görmüş olan, onları bilir. Sayfayı yenilediyseniz ya da başka bir cihazdaysanız bunu fark etmeyebilirsiniz. Bir dosya zarlarını kanıtlar, oynandığını değil.",
    "Bir tarayıcı tohumunu ya da gördüklerini unutabilir. Programınızın fark ettiği de yalnızca sizi inandırır.",
    "Bir oyuncu sandığınızdan başka biri olabilir ya da bir programa sorabilir.",
    "Adil zar, nazik zar demek değildir: tek bir maçta oyunculardan biri ötekinden üç çift fazla atabilir. Ancak çok sayıda zarda denge kurulur.",
  ],
  remembered: "Bu tarayıcının hatırladıkları",
  remembers:
    "Bu tarayıcı bir maçtan sonra 90 gün boyunca neye anlaştığınızı, tohumunuzu ve maçın nasıl bittiğini saklar; sonra yalnız sayıları. Böylece sunucu bir maçı eskisinden başka gösterirse size söyleyebilir. Tarayıcı ya da sunucunun kendi sayfası bunların hepsini silebilir; bunlar sizden başka kimseyi inandırmaz.",
  forget: "Bu tarayıcının bu sunucudan hatırladıklarını unut",
  askForget:
    "Sayılarla birlikte hepsi unutulsun mu? Hâlâ tohumunuzu bekleyen bir maç geçersiz olur ve size yazılır. Adınız ve ayarlarınız kalır.",
  yesForget: "Evet, unut",
  forgotten: "Unutuldu.",
};
