// How fast a counter grows, per minute, over the last minute; null until there are 10 s of data.

const WINDOW = 60000;
const LEAST = 10000;

export class Rate {
  constructor() {
    this.points = [];
  }

  push(value, now = Date.now()) {
    const { points } = this;
    if (points.length && value < points.at(-1)[1]) points.length = 0; // the counter restarted
    points.push([now, value]);
    while (points.length > 2 && points[1][0] < now - WINDOW) points.shift();
    const [since, first] = points[0];
    return now - since < LEAST ? null : ((value - first) / (now - since)) * 60000;
  }
}
