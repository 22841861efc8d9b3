import { setTimeout as delay } from 'node:timers/promises'
import { pack } from 'tar-stream'
import { Agent } from 'undici'
import { createApp } from '#contract/apps/apps.ts'
import { type Deploy, followDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'
import { appPortOf } from '#test/door/app-port.ts'
import type { AppServer } from './server.ts'

const ALIAS = 'switched'
const MAX_CONNECTIONS = 100
/** Each request takes 20 ms and every twentieth half a second, so that each switch meets requests that are under way. */
const appNumber = (n: number) => `
  import { createServer } from 'node:http'
  let asked = 0
  createServer((request, response) => {
    setTimeout(() => response.end('${n}'), request.url === '/healthz' ? 0 : asked++ % 20 === 0 ? 500 : 20)
  }).listen(Number(process.env.PORT), '127.0.0.1')`

type Switched = { sent: number; dropped: number; perSecond: number; switches: number; slowestMs: number }

/**
 * Asks an app a fixed number of requests a second while new revisions of it go live. Dropped are requests that no app
 * answered with 200.
 */
export async function benchSwitch(server: AppServer, perSecond: number, switches: number): Promise<Switched> {
  const { client } = server
  const settings = { start_command: 'node server.mjs', health_path: '/healthz' }
  const { url } = await client.call(createApp, { alias: ALIAS, settings })
  await deploy(client, 0)
  await using asking = askSteadily(await appOrigin(server.url, new URL(url!).host), new URL(url!).host, perSecond)
  for (let n = 1; n <= switches; n++) {
    await deploy(client, n)
    await asking.untilAnswered(String(n))
  }
  const result = { ...(await asking.stop()), switches }
  console.log(
    `\n${switches} switches under ${result.perSecond.toFixed(0)} requests/s: ${result.sent} sent, ${result.dropped} dropped, ` +
      `slowest ${result.slowestMs.toFixed(0)} ms`,
  )
  return result
}

async function deploy(client: Client, n: number): Promise<void> {
  const archive = pack()
  archive.entry({ name: 'server.mjs' }, appNumber(n))
  archive.finalize()
  const { id: revision_id } = await client.upload(uploadRevision, { alias: ALIAS }, archive)
  const started = await client.call(startDeploy, { alias: ALIAS, revision_id })
  let last: Deploy = started
  for await (const event of client.stream(followDeploy, { alias: ALIAS, deploy_id: started.id })) {
    if (event.type === 'state') last = event.deploy
  }
  if (last.state !== 'live')
    throw new Error(`deploy ${n} is ${last.state}: ${last.failure_code} ${last.failure_detail}`)
}

async function appOrigin(apiUrl: string, host: string): Promise<string> {
  return `http://127.0.0.1:${await appPortOf(apiUrl, host)}`
}

/** Sends requests at fixed times, whether earlier ones were answered or not. */
function askSteadily(origin: string, host: string, perSecond: number) {
  // On a machine that cannot keep up, requests wait here: a flood of new connections would be refused by the kernel.
  const agent = new Agent({ connections: MAX_CONNECTIONS, pipelining: 1 })
  const stopping = new AbortController()
  const answers = new Set<string>()
  const pending = new Set<Promise<void>>()
  let [sent, dropped, slowestMs] = [0, 0, 0]
  const faults = new Set<string>()
  const ask = async () => {
    const began = performance.now()
    try {
      const response = await agent.request({ origin, path: '/', method: 'GET', headers: { host } })
      const text = await response.body.text()
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text.slice(0, 200)}`)
      answers.add(text)
    } catch (error) {
      dropped++
      faults.add(String(error))
    }
    slowestMs = Math.max(slowestMs, performance.now() - began)
  }
  const started = performance.now()
  const sending = (async () => {
    while (!stopping.signal.aborted) {
      const due = ((performance.now() - started) / 1000) * perSecond
      for (; sent < due; sent++) {
        const asked = ask().finally(() => pending.delete(asked))
        pending.add(asked)
      }
      await delay(5)
    }
  })()
  const stop = async () => {
    stopping.abort()
    const seconds = (performance.now() - started) / 1000
    await sending
    await Promise.all(pending)
    for (const fault of faults) console.log(`dropped: ${fault}`)
    return { sent, dropped, slowestMs, perSecond: sent / seconds }
  }
  return {
    stop,
    untilAnswered: async (text: string) => {
      while (!answers.has(text)) await delay(10)
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await sending
      await agent.close()
    },
  }
}
