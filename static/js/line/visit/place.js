// A visitor's own place: the number ahead at one moment, and every move of the line since.

const LONGEST = 20_000; // moves kept; beyond it the place is asked for again

export class Place {
  constructor() {
    this.base = null; // {seq, ahead, priority, ticket}
    this.moves = [];
    this.life = 0; // how often the line began anew: an answer of an earlier life says nothing
  }

  /** Where the visit stands, as the server said. */
  stand({ seq, ahead, priority, ticket }) {
    if (this.base && seq < this.base.seq && this.base.ticket === ticket) return;
    this.base = { seq, ahead, priority, ticket };
    this.moves = this.moves.filter((move) => move[0] > seq);
  }

  /** The line began anew: moves of before say nothing about what follows. */
  restart() {
    this.life += 1;
    this.base = null;
    this.moves = [];
  }

  /** [[seq, class, ticket, +1 | -1]]; false = too many, ask again. */
  move(moves) {
    this.moves.push(...moves);
    return this.moves.length <= LONGEST;
  }

  /** How many are before this visit now; null = not known. */
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
