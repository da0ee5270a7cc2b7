/* A random legal play, for the load generator alone: the rules in C, so that the clients are not what is measured.
 * Rows are as in the engine: 26 counts each, in the owner's own numbering: 0 off, 1-24 points, 25 bar. */
#include <stdint.h>
#include <string.h>

typedef struct { uint8_t mine[26], theirs[26]; } Board;
typedef struct { int best, found; uint32_t chance; uint8_t *out; const int *dice; int count; uint8_t way[8]; int high; } Search;

static int home(const Board *b) { for (int p = 7; p < 26; p++) if (b->mine[p]) return 0; return 1; }

static int can(const Board *b, int from, int die) {
    if (!b->mine[from] || (b->mine[25] && from != 25)) return 0;
    int to = from - die;
    if (to > 0) return b->theirs[25 - to] < 2;
    if (!home(b)) return 0;
    if (to == 0) return 1;
    for (int p = from + 1; p < 7; p++) if (b->mine[p]) return 0;
    return 1;
}

static void keep(Search *s, int depth, int rank) {
    if (rank < s->best) return;
    if (rank > s->best) { s->best = rank; s->found = 0; }
    s->found++;
    s->chance = s->chance * 1664525u + 1013904223u;
    if ((s->chance >> 8) % (uint32_t)s->found == 0) memcpy(s->out, s->way, 2 * depth);
}

/* highest: a later checker of the same die starts no higher, so that each set of moves of a double comes once. */
static void walk(Search *s, const Board *b, int depth, int highest) {
    int moved = 0;
    if (depth < s->count)
        for (int from = highest; from > 0; from--) {
            int die = s->dice[depth];
            if (!can(b, from, die)) continue;
            moved = 1;
            Board next = *b;
            int to = from > die ? from - die : 0;
            next.mine[from]--; next.mine[to]++;
            if (to && next.theirs[25 - to]) { next.theirs[25 - to]--; next.theirs[25]++; }
            s->way[2 * depth] = from; s->way[2 * depth + 1] = to;
            walk(s, &next, depth + 1, s->count == 4 ? from : 25);
        }
    if (!moved && depth) keep(s, depth, 2 * depth + (depth == 1 && s->dice[0] == s->high));
}

/* Writes (from, to) pairs to `out`; returns how many moves the play has, 0 if nothing can be played. */
int random_play(const uint8_t *points, int seat, int one, int two, uint32_t chance, uint8_t *out) {
    Board b;
    memcpy(b.mine, points + 26 * seat, 26);
    memcpy(b.theirs, points + 26 - 26 * seat, 26);
    int high = one > two ? one : two, low = one > two ? two : one;
    int dice[4] = {high, low, high, high}, turned[2] = {low, high};
    Search s = {0, 0, chance, out, dice, 2, {0}, high};
    if (one == two) { s.count = 4; walk(&s, &b, 0, 25); return s.best / 2; }
    walk(&s, &b, 0, 25);
    s.dice = turned;
    walk(&s, &b, 0, 25);
    return s.best / 2;
}
