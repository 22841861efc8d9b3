import { readConfig } from './command/config.ts'
import { TABLE } from './commands.ts'
import { run } from './run.ts'
import { INTERRUPTED } from './terminal/exit.ts'

process.once('SIGINT', () => process.exit(INTERRUPTED))
// The reader of stdout closed it, as `head` does, so there is nothing left to do.
process.stdout.on('error', () => process.exit(0))

// No top-level await, because the bundle is CommonJS, which starts faster.
void run(process.argv.slice(2), TABLE, readConfig(), process).then((code) => {
  process.exitCode = code
})
