import { serveWorker } from '../../threads/worker-serve.ts'
import { answerEngine } from './engine-answers.ts'

serveWorker(answerEngine)
