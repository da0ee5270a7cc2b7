/** Texts of shared reviews, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  label: "Birlikte inceleme",
  isPrivate: "Bu maç özel. Ortak incelemenin bağlantısı kimdeyse ona bakabilir ve kodunu öğrenir.",
  isFile:
    "Sunucuya dosyanın kendisi değil, bu maçın hamleleri, adları ve işaretleri gönderilir. Ortak incelemenin bağlantısı kimdeyse onlara bakabilir; bir gün kimse uğramazsa silinirler.",
  badFile: "Burada paylaşılan maç okunamıyor.",
  tooLong: "Bu maç paylaşılamayacak kadar uzun.",
  share: "Paylaş",
  gone: "Bu ortak incelemede bir gündür kimse yok ya da hiç olmadı. Yeni bir bağlantı isteyin.",
  here: "Burada:",
  leads: "yönetiyor",
  youLead: "Siz yönetiyorsunuz: ne yaparsanız öbürleri de görür.",
  follows: (name) => `${name} ne gösteriyorsa onu görüyorsunuz.`,
  strayed: (name) => `Başka yere bakıyorsunuz. ${name} yönetiyor.`,
  nobodyLeads: "Şu anda kimse yönetmiyor.",
  marked: (points) => `İşaretli: ${points}.`,
  drawn: (ways) => `Oklar: ${ways}.`,
  follow: "Takip et",
  take: "Yönetimi al",
  handTo: "Yönetimi ver…",
  mark: "İşaretle ve çiz",
  markHelp: "İşaretlemek için bir haneye dokunun, ok için bir haneden ötekine çizin. Sağ tuş bunu her zaman yapar.",
  invite: "Davet et",
  inviteHelp: "Bu bağlantıyı açan, yönetenin gösterdiğini görür ve konuşabilir.",
  another: "Başka göster",
  anotherHelp: "Bitmiş bir maçın bağlantısı ya da bir XGID",
  showIt: "Göster",
  leave: "Ayrıl",
};
