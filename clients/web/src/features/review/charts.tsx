/** Curves over the match, with their axes: who was going to win, and whom the dice have helped. */

import { Component, createRef, h, type TargetedEvent } from "preact";
import type { Judging } from "./judging.ts";
import { signed } from "./numbers.ts";
import { words } from "./texts/text.ts";

const HEIGHT = 150;
const LEFT = 40; // of the numbers
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 22;

type Line = { kind: string; points: ([number, number] | null)[] };
type Props = {
  title: string;
  label: string;
  judging: Judging;
  at: number;
  lines: Line[];
  range: [low: number, high: number];
  ticks: number[];
  said?: (value: number) => string; // of a tick
  fills?: boolean; // what lies below the first line
  legend: [kind: string, name: string][];
  go: (place: number) => void;
};
class Chart extends Component<Props, { width: number }> {
  state = { width: 320 };
  place = createRef<HTMLDivElement>();
  watch = new ResizeObserver(([{ contentRect }]) => this.setState({ width: Math.max(240, contentRect.width) }));

  componentDidMount() {
    if (this.place.current) this.watch.observe(this.place.current);
  }

  componentWillUnmount() {
    this.watch.disconnect();
  }

  x(place: number) {
    const last = Math.max(1, this.props.judging.decisions.length - 1);
    return LEFT + ((this.state.width - LEFT - RIGHT) * place) / last;
  }

  y(value: number) {
    const [low, high] = this.props.range;
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low));
  }

  choose(event: TargetedEvent<SVGElement, MouseEvent>) {
    const { judging, go } = this.props;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const share = (x - LEFT) / (this.state.width - LEFT - RIGHT);
    const last = judging.decisions.length - 1;
    go(Math.max(0, Math.min(last, Math.round(share * last))));
  }

  /** The line as a path, with gaps where nothing is known yet. */
  path(points: Line["points"]) {
    let isOpen = false;
    return points
      .map((point) => {
        if (!point) {
          isOpen = false;
          return "";
        }
        const to = `${isOpen ? "L" : "M"}${this.x(point[0]).toFixed(1)} ${this.y(point[1]).toFixed(1)}`;
        isOpen = true;
        return to;
      })
      .join("");
  }

  render() {
    const { title, label, judging, at, lines, range, ticks, said = String, legend, fills } = this.props;
    const { width } = this.state;
    const floor = HEIGHT - BOTTOM;
    const known = lines[0].points.filter((point) => point !== null);
    return (
      <figure class="list chart">
        <figcaption>
          <h2>{title}</h2>
          <small>
            {legend.map(([kind, name]) => (
              <span class={`key ${kind}`}>{name}</span>
            ))}
          </small>
        </figcaption>
        <div ref={this.place}>
          <svg
            viewBox={`0 0 ${width} ${HEIGHT}`}
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={label}
            onClick={(event: TargetedEvent<SVGElement, MouseEvent>) => this.choose(event)}
          >
            {ticks.map((value) => [
              <line
                class={value === ticks[Math.floor(ticks.length / 2)] ? "axis" : "grid"}
                x1={LEFT}
                x2={width - RIGHT}
                y1={this.y(value)}
                y2={this.y(value)}
              />,
              <text class="tick" x={LEFT - 6} y={this.y(value) + 4} text-anchor="end">
                {said(value)}
              </text>,
            ])}
            {this.games(floor)}
            {fills && known.length > 1 && (
              <path
                class="fill"
                d={`${this.path(known)}L${this.x(known[known.length - 1][0])} ${this.y(range[0])}L${this.x(known[0][0])} ${this.y(range[0])}Z`}
              />
            )}
            {lines.map(({ kind, points }) => (
              <path class={`line ${kind}`} d={this.path(points)} />
            ))}
            <line class="now" x1={this.x(at)} x2={this.x(at)} y1={TOP} y2={floor} />
            {fills && this.marks(judging)}
          </svg>
        </div>
      </figure>
    );
  }

  /** Where each game begins, and the numbers below. */
  games(floor: number) {
    const { decisions } = this.props.judging;
    const starts = decisions.flatMap(({ at }, place) =>
      place && decisions[place - 1].at.game === at.game ? [] : [place],
    );
    return starts.map((place, index) => {
      const room = this.x(starts[index + 1] ?? decisions.length - 1) - this.x(place);
      return [
        place ? <line class="game" x1={this.x(place)} x2={this.x(place)} y1={TOP} y2={floor} /> : null,
        room > 14 && (
          <text class="tick" x={this.x(place) + room / 2} y={HEIGHT - 6} text-anchor="middle">
            {room > 56 ? words().gameShort(decisions[place].at.game) : decisions[place].at.game}
          </text>
        ),
      ];
    });
  }

  marks(judging: Judging) {
    return judging.decisions.map((_, place) => {
      const mark = judging.mark(place);
      const value = judging.chance(place);
      return mark && value !== null ? (
        <circle class={`dot ${mark}`} cx={this.x(place)} cy={this.y(100 * value)} r={4} />
      ) : null;
    });
  }
}

/** The chances of both to win the game after a decision, as a bar along the board. */
export function chancesBar(judging: Judging, at: number, names: string[]) {
  const white = judging.chance(at);
  const share = white === null ? 50 : Math.round(100 * white);
  const part = (width: number) => <span style={{ flexGrow: width }}>{white === null ? "" : width}</span>;
  const label = white === null ? words().chances : `${words().chancesOf(names[0])}: ${share}`;
  return (
    <div class="bar-of" role="img" aria-label={label}>
      {part(share)}
      {part(100 - share)}
    </div>
  );
}

/** The chance of the first seat to win the game. */
export function chancesChart(judging: Judging, at: number, names: string[], go: (place: number) => void) {
  const say = words();
  const points = judging.decisions.map((_, place): [number, number] | null => {
    const value = judging.chance(place);
    return value === null ? null : [place, 100 * value];
  });
  const known = points.flatMap((point) => (point ? [Math.round(point[1])] : []));
  const [least, most, last] = [Math.min(...known), Math.max(...known), known.at(-1) ?? 0];
  return (
    <Chart
      title={say.chances}
      label={`${say.chancesOf(names[0])}: ${known.length ? say.spread(least, most, last) : ""}`}
      judging={judging}
      at={at}
      go={go}
      lines={[{ kind: "white", points }]}
      range={[0, 100]}
      ticks={[100, 75, 50, 25, 0]}
      fills
      legend={[["white", `${names[0]}, %`]]}
    />
  );
}

/** Luck of each seat, added up. */
export function luckChart(judging: Judging, at: number, names: string[], go: (place: number) => void) {
  const say = words();
  const sums = [0, 0];
  const lines: Line[] = [
    { kind: "white", points: [] },
    { kind: "black", points: [] },
  ];
  for (const [place, { seat, what }] of judging.decisions.entries()) {
    const luck = judging.lucks.get(place);
    if (what !== "play") continue;
    if (luck === undefined) break;
    sums[seat] += luck;
    for (const one of [0, 1]) lines[one].points.push([place, sums[one]]);
  }
  const most = Math.max(0.5, ...lines.flatMap(({ points }) => points.map((point) => Math.abs(point?.[1] ?? 0))));
  const top = Math.ceil(2 * most) / 2;
  return (
    <Chart
      title={say.luck}
      label={`${say.luckOf}: ${names.map((name, seat) => `${name} ${signed(judging.isLuckKnown ? sums[seat] : null)}`).join(", ")}`}
      judging={judging}
      at={at}
      go={go}
      lines={lines}
      range={[-top, top]}
      ticks={[top, top / 2, 0, -top / 2, -top]}
      said={(value) => `${value > 0 ? "+" : ""}${Number(value.toFixed(2))}`.replace("-", "−")}
      legend={[
        ["white", names[0]],
        ["black", names[1]],
      ]}
    />
  );
}
