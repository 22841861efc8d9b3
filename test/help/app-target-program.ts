/** Starts an app as a server would, prints a line, and waits to be killed. Arguments: data folder, `bare` or `walled`. */
import { createProcessTarget } from '../../src/server/areas/apps/process/process-target.ts'

const [dataDir = '', mode] = process.argv.slice(2)
const target = createProcessTarget({
  dataDir,
  apiOrigin: () => undefined,
  onError: (error) => console.error(error),
  ...(mode === 'bare' && { bubblewrapPlaces: [] }),
})
const request = { appId: 'app_1', environment: {}, onLine: ({ text }: { text: string }) => console.log(text) }
async function* noFiles() {}
const { signal } = new AbortController()
await target.build({ ...request, deployId: 'dep_1', files: noFiles(), command: null, signal })
const command = 'echo app runs; sleep 1000 & wait'
await target.start({ ...request, release: { deployId: 'dep_1' }, command })
setInterval(() => {}, 1000)
