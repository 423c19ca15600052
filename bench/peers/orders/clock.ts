/** The time that the service goes by: that of the machine, and as much later as a test has let pass. */
export class Clock {
  private ahead = 0;

  now(): number {
    return Date.now() + this.ahead;
  }

  pass(milliseconds: number): void {
    this.ahead += milliseconds;
  }
}
