import { createKeptConnections } from '#lib/net/kept-connections.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { readSettings, toConfig } from '../../src/server/config/config.ts'
import { environment } from '../../src/server/config/reader.ts'
import { openResources } from '../../src/server/process/resources.ts'
import { startServices } from '../../src/server/process/start.ts'
import { fakeConnect, fakeResolve } from '../help/outside/internet.ts'

const ADDRESS = '93.184.215.14'

/**
 * Runs a service as `server/main.ts` does, with one difference: what it sends to hooks.example.com reaches the sink on
 * loopback whose port is the argument. Only a test can lead a webhook there.
 */
const config = toConfig(readSettings(environment()))
const stack = new AsyncDisposableStack()
const safeFetch = createSafeFetch({
  resolve: fakeResolve({ 'hooks.example.com': [[ADDRESS]] }),
  connect: fakeConnect({ [ADDRESS]: { port: Number(process.argv[2]) } }),
  keptConnections: stack.use(createKeptConnections()),
})
const resources = await openResources(config, stack, { safeFetch })
const running = await startServices(resources, stack, { ...config, urlOf: (name) => config.urls[name] })
process.stdout.write(`svc ready at ${running.url}\n`)
process.once('SIGTERM', () => {
  void running
    .drain(config.drainSeconds)
    .then(() => stack.disposeAsync())
    .finally(() => process.exit(0))
})
