import { Pool } from 'undici'
import { serveCalls } from './children.ts'

/**
 * The peer: undici alone, with kept connections, posting bodies of the same size as ours to the same sink. It keeps no
 * ledger, signs nothing and vets no address. Arguments: the sink's port, the number of connections.
 */
const [port, connections] = process.argv.slice(2).map(Number)
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: connections!, pipelining: 1 })

function bodyOf(i: number): string {
  const notification = {
    id: `ntf_${String(i).padStart(26, '0')}`,
    event_type: 'pipeline.run.failed',
    subject: 'Pipeline failed in Shop: Nightly',
    occurred_at: '2026-11-15T09:00:00.000Z',
    org_id: 'org_01jcq8x6zt0000000000000000',
    app: `e${i}`,
    link: 'https://svc.example.com/apps/shop/pipelines/pl_01jcq8x6zt0000000000000000',
  }
  return JSON.stringify([notification])
}

serveCalls({
  /** Sends so many requests and returns the milliseconds they took. */
  send: async (count: number) => {
    let next = 0
    const started = performance.now()
    const client = async () => {
      while (next < count) {
        const body = bodyOf(next++)
        const headers = { 'content-type': 'application/json', 'user-agent': 'svc-notifications' }
        const answer = await pool.request({ path: '/hook', method: 'POST', headers, body })
        await answer.body.dump()
      }
    }
    await Promise.all(Array.from({ length: connections! }, client))
    return performance.now() - started
  },
})
