/**
 * A process for the bytes of apps that somebody took over: it asks for an app without end, says at once that each request
 * has ended, and reads no answer.
 */
const ASKED = 40_000

process.stdin.once('data', () => {
  process.stdin.pause()
  process.stdout.write('{"is":"listening","port":1}\n')
  for (let id = 0; id < ASKED; id++)
    process.stdout.write(`{"is":"asked","id":${id},"label":"app"}\n{"is":"ended","id":${id}}\n`)
})
process.stdout.write('{"is":"loaded"}\n')
