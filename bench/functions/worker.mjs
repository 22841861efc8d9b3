import { createWorker } from '@svc-instance/worker-sdk'

const input = { type: 'object', properties: { name: { type: 'string', maxLength: 100 } }, required: ['name'] }
const worker = createWorker({ concurrency: 50 })
worker.function('greet', { input }, ({ name }) => ({ text: `Hello ${name}` }))
await worker.start()
console.log('ready')
