import { createServer } from 'node:http'
import { log } from './log.js'
import { totalOf } from './orders.js'
import { startWorker } from './worker.js'

const port = Number(process.env.PORT)
const greeting = process.env.GREETING ?? 'Hello'
let requests = 0

const server = createServer((request, response) => {
  if (request.url === '/healthz') {
    response.end('ok')
    return
  }
  requests++
  log('info', 'request', { method: request.method, path: request.url })
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><title>hello</title><h1>${greeting} from svc</h1>`)
})

server.listen(port, '127.0.0.1', () => log('info', 'listening', { port }))
const stopWorker = startWorker({ greeting, countRequests: () => requests })
process.on('SIGTERM', () => {
  const closed = new Promise((resolve) => server.close(resolve))
  void Promise.all([closed, stopWorker()]).then(() => process.exit(0))
})

function addUp() {
  try {
    log('info', 'orders added up', { total: totalOf() })
  } catch (error) {
    log('error', error.stack.split('\n').slice(0, 2).join(' '))
  }
}

addUp()
setInterval(addUp, 60_000)
