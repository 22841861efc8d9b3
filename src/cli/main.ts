import { TABLE } from './commands.ts'
import { readConfig } from './config.ts'
import { INTERRUPTED } from './exit.ts'
import { run } from './run.ts'

process.once('SIGINT', () => process.exit(INTERRUPTED))
// The reader went away, as `head` does: there is nobody left to write for.
process.stdout.on('error', () => process.exit(0))

// The bundle is CommonJS, which starts sooner and knows no await out here.
void run(process.argv.slice(2), TABLE, readConfig(), process).then((code) => {
  process.exitCode = code
})
