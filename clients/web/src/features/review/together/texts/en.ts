/** Texts of shared reviews, in English. */

export const en = {
  label: "Reviewing together",
  isPrivate:
    "This match is private. Whoever has the link to the shared review can look at it then, and learns its code.",
  isFile:
    "The moves, names and marks of this match are sent to the server, not the file itself. Whoever has the link to the shared review can look at them, until nobody was there for a day.",
  badFile: "The match that is shared here cannot be read.",
  tooLong: "This match is too long to be shared.",
  share: "Share it",
  gone: "Nobody has been in this shared review for a day, or there was none. Ask for a new link.",
  here: "Here:",
  leads: "leads",
  youLead: "You lead: the others see what you do.",
  follows: (name: string) => `You see what ${name} shows.`,
  strayed: (name: string) => `You look elsewhere. ${name} leads.`,
  nobodyLeads: "Nobody leads just now.",
  marked: (points: string) => `Marked: ${points}.`,
  drawn: (ways: string) => `Arrows: ${ways}.`,
  follow: "Follow",
  take: "Take the lead",
  handTo: "Give the lead to…",
  mark: "Mark and draw",
  markHelp:
    "Tap a point of the board to mark it, draw from one point to another for an arrow. The right button does so at any time.",
  invite: "Invite",
  inviteHelp: "Whoever opens this link sees what the leader shows, and may talk.",
  another: "Show another",
  anotherHelp: "The link to a match that is over, or an XGID",
  showIt: "Show",
  leave: "Leave",
};
