import type { BodyPlan, ShownPlan } from './step.ts';

/** The values that an answer shows, each in a form of its own; none for a page, whose rows its list has. */
export function shownIn(body: BodyPlan | null): readonly ShownPlan[] {
  switch (body?.kind) {
    case 'value':
      return [body.shown];
    case 'row with members':
      return [body.shown, ...body.members];
    case 'members':
      return body.members;
    default:
      return [];
  }
}
