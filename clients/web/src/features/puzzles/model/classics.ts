/** Classic decisions, for want of a position of the day and of own mistakes; the terminal has the same. Pure. */

const MONEY = ":0:0:0:0:10"; // behind each XGID: a money game without the Jacoby rule

export const CLASSICS = [
  "-b----E-C---eE---c-e----B-:0:0:1:31",
  "-b----E-C---eE---c-e----B-:0:0:1:42",
  "-b----E-C---eE---c-e----B-:0:0:1:61",
  "-b----E-C---eE---c-e----B-:0:0:1:65",
  "-b----E-C---dE---d-e----B-:0:0:1:55",
  "-b----E-C---dE---c-e-a--B-:0:0:1:66",
  "aB-B-aC-A---dE-a-c-e----B-:0:0:1:00",
  "bB-B--C-A---dE-a-c-e----B-:0:0:1:D",
  "-b----E-CB--cC---d-eA-a-A-:0:0:1:00",
  "-A--BA-------------aa---b-:0:0:1:21",
  "-A--------------------aa--:0:0:-1:D",
  "-A-------------------a--a-:0:0:-1:D",
].map((one) => `XGID=${one}${MONEY}`);
