import { log } from './log.js'
import { createWorker } from './svc-worker-sdk.js'

const name = { type: 'string', minLength: 1, maxLength: 100 }
const input = { type: 'object', properties: { name }, required: ['name'], additionalProperties: false }

/**
 * Serves a function and a pipeline of this app. svc gives a running app the token with which the worker connects. Returns
 * a function that stops it. Faults of the connection never stop the app: the worker connects again by itself.
 */
export function startWorker({ greeting, countRequests }) {
  if (!process.env.SVC_APP) {
    log('info', 'no functions are served, because svc does not run this app: SVC_APP is not set')
    return async () => {}
  }
  const worker = createWorker({ onError: (error) => log('warn', `worker: ${error.message}`) })
  worker.function('greet', { description: 'Greets a person', input, repeatable: true }, (person) => ({
    text: `${greeting}, ${person.name}`,
  }))
  // It runs by hand only. To run it every night, add: schedule: '0 3 * * *'
  worker.pipeline('count-requests', { description: 'Counts the requests since the start' }, (run) => {
    run.log.info(`requests since the start: ${countRequests()}`)
  })
  worker.start().then(
    () => log('info', 'worker connected'),
    (error) => log('error', `worker refused: ${error.message}`),
  )
  return () => worker.stop()
}
