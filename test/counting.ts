import type { Row } from '../src/expression/values/value.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Change, Program } from '../src/store/store.ts';

/** A store that counts the statements that programs call. */
export class CountingStore extends SqliteStore {
  called = 0;

  override read<T>(program: () => Program<T>): T | Promise<T> {
    return super.read(() => this.counting(program()));
  }

  override write<T>(program: () => Program<T>, change?: Change): Promise<T> {
    return super.write(() => this.counting(program()), change);
  }

  private *counting<T>(program: Program<T>): Program<T> {
    let step = program.next();
    while (!step.done) {
      this.called++;
      let rows: Row[];
      try {
        rows = yield step.value;
      } catch (error) {
        step = program.throw(error);
        continue;
      }
      step = program.next(rows);
    }
    return step.value;
  }
}
