/* Legal plays and features, for training and for the clients of the benchmarks, neither of which ships: the twins of
 * tavla_engine.plays and tavla_bots.features.
 * Rows are as in the engine: 26 counts each, in the owner's own numbering: 0 off, 1-24 points, 25 bar.
 * A board is 52 bytes: the row of the player on roll, then the opponent's. */
#include <stdint.h>
#include <string.h>

enum { OFF, BAR = 25, ROW = 26, BOARD = 52, WAY = 8, MOST = 4096 /* more than the plays of any roll */ };

typedef struct {
    uint8_t mine[ROW], theirs[ROW];
    uint8_t *found;     /* boards after each play, as the opponent sees them */
    int count, fullest; /* of the plays found, and how many dice they use; see rank() */
    const int *dice;
    int length, again;
    uint8_t way[WAY], *ways; /* moves so far, (from, to) each; those of each play, where they are wanted */
} Search;

/* Both dice, else the higher one, else the lower one; all four of a double, or as many as can be played. */
static int rank(const Search *s, int depth) {
    if (s->length == 4) return depth;
    return depth == 1 ? 1 + (s->dice[0] > s->dice[1]) : depth + (depth == 2);
}

static void keep(Search *s, int depth) {
    int here = rank(s, depth);
    if (here < s->fullest) return;
    if (here > s->fullest) { s->fullest = here; s->count = 0; }
    uint8_t *board = s->found + BOARD * s->count;
    memcpy(board, s->theirs, ROW);
    memcpy(board + ROW, s->mine, ROW);
    if (s->length == 2)
        for (uint8_t *other = s->found; other < board; other += BOARD)
            if (!memcmp(other, board, BOARD)) return;
    if (s->ways) {
        memset(s->ways + WAY * s->count, 0, WAY);
        memcpy(s->ways + WAY * s->count, s->way, 2 * depth);
    }
    if (s->count < MOST - 1) s->count++;
}

/* highest: a later die is played from no higher point, so that each set of moves comes once. */
static void step(Search *s, int depth, int highest) {
    int moved = 0, die = depth < s->length ? s->dice[depth] : 0, top = BAR;
    if (die) {
        while (top > 0 && !s->mine[top]) top--;
        for (int from = top < highest ? top : highest; from > OFF; from--) {
            if (!s->mine[from] || (top == BAR && from != BAR)) continue;
            int to = from > die ? from - die : OFF;
            if (to ? s->theirs[BAR - to] > 1 : top > 6 || (from < die && from != top)) continue;
            int hits = to && s->theirs[BAR - to];
            moved = 1;
            s->way[2 * depth] = from; s->way[2 * depth + 1] = to;
            s->mine[from]--; s->mine[to]++;
            if (hits) { s->theirs[BAR - to]--; s->theirs[BAR]++; }
            step(s, depth + 1, from - !s->again);
            if (hits) { s->theirs[BAR - to]++; s->theirs[BAR]--; }
            s->mine[from]++; s->mine[to]--;
        }
    }
    if (!moved) keep(s, depth);
}

static int plays(Search *s, const uint8_t *board, int one, int two) {
    int high = one > two ? one : two, low = one > two ? two : one, dice[4] = {high, low, high, high}, turned[2] = {low, high};
    memcpy(s->mine, board, BOARD);
    s->count = s->fullest = 0;
    s->dice = dice; s->length = one == two ? 4 : 2; s->again = one == two;
    step(s, 0, BAR);
    if (one != two) { s->dice = turned; s->again = 1; step(s, 0, BAR); }
    return s->count;
}

/* Writes the boards after every play of each board's dice; starts[i] is where those of board i begin, starts[count] the
 * end of all. Returns 0 if `room` boards are too few. */
int after_states(const uint8_t *boards, const uint8_t *dice, int count, uint8_t *found, int64_t room, int64_t *starts) {
    int64_t total = 0;
    for (int i = 0; i < count; i++) {
        if (total + MOST > room) return 0;
        Search s = {.found = found + BOARD * total};
        starts[i] = total;
        total += plays(&s, boards + BOARD * i, dice[2 * i], dice[2 * i + 1]);
    }
    starts[count] = total;
    return 1;
}

/* Writes the moves of one of the plays, by `chance`: (from, to) each, then zeros. */
void random_play(const uint8_t *board, int one, int two, uint32_t chance, uint8_t *way) {
    static uint8_t found[BOARD * MOST], ways[WAY * MOST];
    Search s = {.found = found, .ways = ways};
    memcpy(way, ways + WAY * (chance % plays(&s, board, one, two)), WAY);
}

/* The place of the least value between each start and the next. */
void least(const float *values, const int64_t *starts, int count, int64_t *places) {
    for (int i = 0; i < count; i++) {
        int64_t best = starts[i];
        for (int64_t j = best + 1; j < starts[i + 1]; j++) if (values[j] < values[best]) best = j;
        places[i] = best;
    }
}

/* --- features.py ------------------------------------------------------------------------------------------------- */

enum { POINTS = 24, STEPS = 4, HELD = 12, SIDE = POINTS * STEPS + HELD, WIDTH = 2 * SIDE + 5 };

typedef struct { int count, place[WIDTH + 1]; float value[WIDTH + 1]; } Sparse; /* the features that are not 0 */

static void put(Sparse *s, int place, float value) {
    s->place[s->count] = place;
    s->value[s->count] = value;
    s->count += value != 0;
}

static int rearmost(const uint8_t *row) {
    for (int p = BAR; p > OFF; p--) if (row[p]) return p;
    return BAR;
}

/* miss[d]: the chance that a checker d points away misses. */
static void held(const uint8_t *row, const uint8_t *other, const float *miss, Sparse *s, int first) {
    int made = 0, prime = 0, back = 0, their_blots = 0, behind = 0; /* made: points as bits */
    float shots = 0, lost = 0;
    for (int p = 1; p < BAR; p++) {
        made |= (row[p] >= 2) << p;
        their_blots += other[p] == 1;
        if (row[p] != 1) continue;
        float missed = 1;
        for (int q = 0; q < p; q++) if (other[BAR - q]) missed *= miss[p - q];
        shots += 1 - missed;
        lost += (1 - missed) * (BAR - p);
    }
    for (int p = 1; p <= 19; p++) {
        int points = __builtin_popcount(made >> p & 63);
        prime = points > prime ? points : prime;
    }
    for (int p = 19; p <= BAR; p++) back += other[p];
    for (int p = BAR - rearmost(other) + 1; p <= BAR; p++) behind += row[p];
    float board = __builtin_popcount(made >> 1 & 63) / 6.0f;
    put(s, first, row[BAR] / 2.0f);
    put(s, first + 1, row[OFF] / 15.0f);
    put(s, first + 2, shots);
    put(s, first + 3, lost / 24);
    put(s, first + 4, prime / 6.0f);
    put(s, first + 5, back ? prime / 6.0f : 0);
    put(s, first + 6, board);
    put(s, first + 7, other[BAR] ? board * board : 0);
    put(s, first + 8, board * board * (their_blots < 3 ? their_blots : 3) / 3);
    put(s, first + 9, made >> 19 != 0);
    put(s, first + 10, (made >> 20 & 3) != 0);
    put(s, first + 11, behind / 15.0f);
}

static void side(const uint8_t *row, const uint8_t *other, const float *miss, Sparse *s, int first) {
    for (int p = 0; p < POINTS; p++) {
        int n = row[p + 1];
        if (!n) continue;
        put(s, first + p, n == 1);
        put(s, first + p + POINTS, n >= 2);
        put(s, first + p + 2 * POINTS, n >= 3);
        put(s, first + p + 3 * POINTS, n > 3 ? (n - 3) / 2.0f : 0);
    }
    held(row, other, miss, s, first + POINTS * STEPS);
}

static void sparse(const uint8_t *board, const float *miss, Sparse *s) {
    const uint8_t *mine = board, *theirs = board + ROW;
    int pips = 0, their_pips = 0;
    for (int p = 1; p < ROW; p++) { pips += p * mine[p]; their_pips += p * theirs[p]; }
    float race = (their_pips - pips) / 50.0f;
    s->count = 0;
    side(mine, theirs, miss, s, 0);
    side(theirs, mine, miss, s, SIDE);
    put(s, 2 * SIDE, pips / 167.0f);
    put(s, 2 * SIDE + 1, their_pips / 167.0f);
    put(s, 2 * SIDE + 2, race);
    put(s, 2 * SIDE + 3, race * 4 > 1 ? 1 : race * 4 < -1 ? -1 : race * 4);
    put(s, 2 * SIDE + 4, rearmost(mine) + rearmost(theirs) > BAR);
}

void features(const uint8_t *boards, int64_t count, const float *miss, float *out) {
    memset(out, 0, sizeof(float) * WIDTH * count);
    for (int64_t i = 0; i < count; i++, out += WIDTH) {
        Sparse s;
        sparse(boards + BOARD * i, miss, &s);
        for (int j = 0; j < s.count; j++) out[s.place[j]] = s.value[j];
    }
}

enum { LANES = 32, GROUP = 64 };
typedef float Lanes __attribute__((vector_size(32), aligned(4)));

/* The first layer of a network, before negative values become 0. Most features are 0: this takes a third of a product's time. weights: for each LANES units
 * after each other, a row for each feature, so that those of a block fit in the nearest cache. */
void first_layer(const uint8_t *boards, int64_t count, const float *miss, const float *weights, const float *bias, int blocks,
                 float *out) {
    Sparse group[GROUP];
    int size = blocks * LANES;
    for (int64_t begin = 0; begin < count; begin += GROUP) {
        int here = count - begin < GROUP ? (int)(count - begin) : GROUP;
        for (int i = 0; i < here; i++) sparse(boards + BOARD * (begin + i), miss, group + i);
        for (int block = 0; block < blocks; block++) {
            const float *rows = weights + (int64_t)block * WIDTH * LANES;
            for (int i = 0; i < here; i++) {
                const Lanes *start = (const Lanes *)(bias + block * LANES);
                Lanes *to = (Lanes *)(out + (begin + i) * size + block * LANES);
                Lanes sum0 = start[0], sum1 = start[1], sum2 = start[2], sum3 = start[3];
                for (int j = 0; j < group[i].count; j++) {
                    const Lanes *row = (const Lanes *)(rows + group[i].place[j] * LANES);
                    float value = group[i].value[j];
                    sum0 += value * row[0]; sum1 += value * row[1]; sum2 += value * row[2]; sum3 += value * row[3];
                }
                to[0] = sum0; to[1] = sum1; to[2] = sum2; to[3] = sum3;
            }
        }
    }
}
