/** Starts an app as a server would, prints a line, and waits to be killed. Arguments: data folder, `bare` or `walled`. */
import { createDirectNetwork } from '../../../src/server/areas/apps/door/network.ts'
import { createProcessTarget } from '../../../src/server/areas/apps/process/process-target.ts'
import { deployFacts } from './app-target.ts'

const [dataDir = '', mode] = process.argv.slice(2)
const target = createProcessTarget({
  dataDir,
  apiOrigin: () => undefined,
  network: createDirectNetwork(),
  unsandboxed: 'all',
  appIdsOf: async () => [],
  onError: (error) => console.error(error),
  ...(mode === 'bare' && { bubblewrapPlaces: [] }),
})
const { signal } = new AbortController()
const request = {
  environment: {},
  signal,
  onHarmful: () => {},
  onLine: ({ text }: { text: string }) => console.log(text),
}
async function* noFiles() {}
const deploy = { ...deployFacts('app_1', 'dep_1'), startCommand: 'echo app runs; sleep 1000 & wait' }
await target.build({ ...request, deploy, files: noFiles() })
await target.start({ ...request, deploy, release: { deployId: 'dep_1' }, fence: 1, storedLines: async () => undefined })
setInterval(() => {}, 1000)
