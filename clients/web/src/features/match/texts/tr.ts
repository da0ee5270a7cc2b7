/** Why a play is not allowed, in Turkish. */

import type { en } from "./en.ts";

export const tr: typeof en = {
  cannotRead: "Bu bir hamle değil. Şöyle yazın: 13/8 ya da bar/22; birkaç tanesini arada boşlukla.",
  why: {
    bar: "Barda pulunuz var. O girmeden başka pul oynayamaz.",
    theirs: "Bu pullar rakibinizin.",
    empty: "Orada pulunuz yok. Önce bir pul, sonra gideceği haneyi seçin.",
    back: "Pullar geri gitmez: sizinkiler hep küçük sayılara doğru yürür.",
    higher: "Büyük zar, en gerideki hanenizden pul toplar; daha geride pulunuz var.",
    home: "Bütün pullarınız evde, 1 ile 6 arasında olmadan pul toplanmaz.",
    stay: "1 ile 6 arasındaki hanelerinizde kıran pul, o elde yerinden kalkmaz: bu oyunda vur-kaç yok.",
    larger: "Zarlardan yalnız biri oynanabiliyor; o zaman büyük olanı oynamalısınız.",
    both: "Öyle oynarsanız öbür zar oynanamaz. Olabildiğince çok zar oynanmalıdır.",
    done: "Bütün zarlar oynandı. Tamam'a basın ya da başka bir yol için geri alın.",
  },
  whyClosed: (point) => `${point}. hane kapalı: rakibinizin orada en az iki pulu var.`,
  whyStuck: (point) => `${point}. hanedeki pul hangi zarla oynansa kapıya çarpar.`,
  whyWay: (point) => `${point}. haneye giderken basılacak hanelerin hepsi kapalı.`,
  whyFar: (steps, dice) => `Orası ${steps} hane uzakta, zarlarınız ise ${dice}.`,
  whyOff: (dice) => `Bunu toplayacak zar yok: zarlarınız ${dice}.`,
};
