// How fast a counter grows, per minute, over the last minute; null until 10 s are known.

const WINDOW = 60000;
const LEAST = 10000;

export class Rate {
  constructor() {
    this.points = [];
  }

  push(value, now = Date.now()) {
    const { points } = this;
    if (points.length && value < points.at(-1)[1]) points.length = 0; // the counter began anew
    points.push([now, value]);
    while (points.length > 2 && points[1][0] < now - WINDOW) points.shift();
    const [since, first] = points[0];
    return now - since < LEAST ? null : ((value - first) / (now - since)) * 60000;
  }
}
