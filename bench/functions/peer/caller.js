import { createInterface } from 'node:readline'
import { Queue, QueueEvents } from 'bullmq'

// Each line of the input is a measurement: concurrency and seconds. The answer is one line of JSON.
const { port } = new URL(process.argv[2])
const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null }
// Some ended jobs are kept, because waiting for one that is gone already fails.
const queue = new Queue('greet', { connection, defaultJobOptions: { removeOnComplete: { count: 1000 } } })
const events = new QueueEvents('greet', { connection })
await events.waitUntilReady()
console.log('ready')

for await (const line of createInterface({ input: process.stdin })) {
  const [concurrency, seconds] = line.split(' ').map(Number)
  console.log(JSON.stringify(await measure(concurrency, seconds)))
}
process.exit(0)

async function measure(concurrency, seconds) {
  const took = []
  const started = performance.now()
  const until = started + seconds * 1000
  const call = async () => {
    while (performance.now() < until) {
      const before = performance.now()
      const job = await queue.add('greet', { name: 'Ada' })
      const { text } = await job.waitUntilFinished(events)
      if (text !== 'Hello Ada') throw new Error(`answered ${text}`)
      took.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, call))
  const elapsed = (performance.now() - started) / 1000
  took.sort((a, b) => a - b)
  return { perSecond: took.length / elapsed, p50: took[Math.floor(took.length / 2)] }
}
