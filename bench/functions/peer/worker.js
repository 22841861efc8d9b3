import { Worker } from 'bullmq'

const { port } = new URL(process.argv[2])
const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null }
const worker = new Worker('greet', async ({ data }) => ({ text: `Hello ${data.name}` }), {
  connection,
  concurrency: 50,
})
await worker.waitUntilReady()
console.log('ready')
