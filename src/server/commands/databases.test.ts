import { expect, it } from 'vitest'
import { runDatabases } from './databases.ts'

const NONE = { to: undefined, dryRun: false, confirm: false }

it.each([
  [['move'], NONE, 'Name the database: svc-server databases move <name or id>.'],
  [['drop-old'], NONE, 'Name the database: svc-server databases drop-old <name or id>.'],
  [['move', 'notes'], NONE, 'Name the server to move it to: --to <server>.'],
  [['list', 'notes'], NONE, 'Unknown command: databases list notes.'],
  [['copy', 'notes'], NONE, 'Unknown command: databases copy notes.'],
  [[], { ...NONE, to: 'two' }, '--to, --max-hours and --dry-run belong to svc-server databases move.'],
  [
    ['drop-old', 'notes'],
    { ...NONE, dryRun: true },
    '--to, --max-hours and --dry-run belong to svc-server databases move.',
  ],
  [[], { ...NONE, maxHours: '2' }, '--to, --max-hours and --dry-run belong to svc-server databases move.'],
  [['move', 'notes'], { ...NONE, to: 'two', maxHours: '0' }, '--max-hours is a number of hours from 1 to 499.'],
  [['move', 'notes'], { ...NONE, to: 'two', confirm: true }, '--confirm belongs to svc-server databases drop-old.'],
  [['move', 'notes'], { ...NONE, to: 'two' }, 'svc-server databases needs DATABASE_URL'],
])('DS-01 svc-server databases %j %j is refused in words', async (args, options, message) => {
  await expect(runDatabases({}, () => undefined, args, options)).rejects.toThrow(message)
})
