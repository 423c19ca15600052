import { documentText } from '../../subject.ts';
import { type Fault, instead } from './fault.ts';

const alarms = documentText('docs/documents/alarms.md');

export const EMITTED: readonly Fault[] = [
  instead('emits another value', alarms, 'value `request.value`', 'value `sensor.most`', 'event alarm.raised'),
  instead(
    'emits an event of every reading',
    alarms,
    'request.value > sensor.most',
    'request.value >= 0',
    'event alarm.raised',
  ),
  instead(
    'tells other readers of an event',
    alarms,
    '- Visible of alarm.raised: `about.site == caller.site`',
    '- Visible of alarm.raised: `about.site != caller.site`',
    'stream: visible alarm.raised',
  ),
  instead(
    'tells the operator’s receivers of no event of a loop',
    alarms,
    '   1. Emit alarm.raised with sensor `sensor.name`, site `sensor.site`, kind `sensor.kind`, value `null`.',
    '   1. Move `sensor` by mute.',
    'event alarm.raised',
  ),
];
