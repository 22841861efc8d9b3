import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { createHistogram } from './histogram.ts'

/** The metrics of one process, passed as a dependency so that nothing is registered at import. */
export type Metrics = ReturnType<typeof createMetrics>

/** By default it is measured 100 times a second, which was most of what an idle process did. */
const EVENT_LOOP_MS = 100

export function createMetrics(options: { processMetrics: boolean }) {
  const registry = new Registry()
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  if (options.processMetrics) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_MS })
  return {
    registry,
    requests: createHistogram(registry, {
      name: 'svc_request_duration_seconds',
      help: 'Time to answer a request, by operation and status',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    }),
    loopFaults: counter('svc_loop_faults_total', 'Turns of a loop that failed', 'loop'),
    jobFaults: counter('svc_job_faults_total', 'Jobs, claims and lease renewals that failed, by kind of job', 'kind'),
    unreadableEvents: counter(
      'svc_notification_unreadable_events_total',
      'Events written by a newer release that wait until this one is upgraded',
    ),
    workloadReviewFaults: counter(
      'svc_workload_review_faults_total',
      'Workload tokens the cluster could not or would not review, by what to look at',
      'reason',
    ),
  }
}
