// A visitor's own place: the number of visitors ahead at one moment, and every move of the line since then.

const LONGEST = 20_000; // largest number of stored moves; with more, the place is fetched again

export class Place {
  constructor() {
    this.base = null; // {seq, ahead, priority, ticket}
    this.moves = [];
    this.life = 0; // counts how often the line restarted: answers from an earlier life are ignored
  }

  /** Set the place that the server reported. */
  stand({ seq, ahead, priority, ticket }) {
    if (this.base && seq < this.base.seq && this.base.ticket === ticket) return;
    this.base = { seq, ahead, priority, ticket };
    this.moves = this.moves.filter((move) => move[0] > seq);
  }

  /** Forget the place and the moves, because the line restarted. */
  restart() {
    this.life += 1;
    this.base = null;
    this.moves = [];
  }

  /** Add moves, [[seq, class, ticket, +1 | -1]]. Returns false if there are too many; then fetch the place again. */
  move(moves) {
    this.moves.push(...moves);
    return this.moves.length <= LONGEST;
  }

  /** The number of visitors ahead now, or null if unknown. */
  get ahead() {
    if (!this.base) return null;
    const { seq, priority, ticket } = this.base;
    let count = this.base.ahead;
    for (const [at, other, theirs, step] of this.moves) {
      if (at > seq && (other < priority || (other === priority && theirs < ticket))) count += step;
    }
    return Math.max(0, count);
  }
}
