import { readApp } from '#contract/apps/apps.ts'
import { listDeploys } from '#contract/apps/deploys.ts'
import { readEnvironment } from '#contract/apps/environment.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { listAppPeople } from '#contract/apps/people.ts'
import { listRevisions, readRevision } from '#contract/apps/revisions.ts'
import { listCheckRuns, listChecks } from '#contract/checks/checks.ts'
import { listFunctions } from '#contract/functions.ts'
import { listFindings } from '#contract/maintenance/findings.ts'
import { listProposals } from '#contract/maintenance/proposals.ts'
import { listMaintenanceRuns, readMaintenance } from '#contract/maintenance/runs.ts'
import { listPipelineRuns, listPipelines, readPipelineRunLog } from '#contract/pipelines.ts'
import { listReplies, listTickets, readTicket } from '#contract/tickets.ts'
import type { EntrySink } from './entry-sink.ts'
import { children, details, document, inputFor, type Part, records } from './part.ts'
import type { Reader } from './reader.ts'

const pipelineLogs: Part = {
  file: 'pipeline-run-logs.ndjson',
  reads: [listPipelines, listPipelineRuns, readPipelineRunLog],
  write: async (reader, scope, sink) => {
    sink.records = 0
    for await (const { name } of reader.items(listPipelines, inputFor(listPipelines, scope))) {
      const pipeline = { alias: scope.alias!, name: String(name) }
      for await (const { id } of reader.items(listPipelineRuns, pipeline)) {
        await writeRunLog(reader, { ...pipeline, run_id: String(id) }, sink)
      }
    }
  },
}

type Run = { readonly alias: string; readonly name: string; readonly run_id: string }

async function writeRunLog(reader: Reader, run: Run, sink: EntrySink): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(reader, run, after)
    for (const line of page.lines) await sink.record({ pipeline: run.name, run_id: run.run_id, ...line })
    after = page.has_more ? page.last : null
  }
}

function readPage(reader: Reader, run: Run, after: number) {
  return reader.call(readPipelineRunLog, { ...run, after })
}

/** The files of each app that are always there. */
export const APP_PARTS: readonly Part[] = [
  document('app.json', readApp),
  document('people.json', listAppPeople),
  document('environment.json', readEnvironment),
  records('deploys.ndjson', listDeploys),
  details('revisions.ndjson', listRevisions, readRevision, ({ id }) => ({ revision_id: id })),
  records('functions.ndjson', listFunctions),
  records('checks.ndjson', listChecks),
  children('check-runs.ndjson', listChecks, listCheckRuns, ({ id }) => ({ check: id })),
  records('pipelines.ndjson', listPipelines),
  children('pipeline-runs.ndjson', listPipelines, listPipelineRuns, ({ name }) => ({ name })),
  pipelineLogs,
  details('tickets.ndjson', listTickets, readTicket, ({ id }) => ({ ticket_id: id })),
  children('ticket-replies.ndjson', listTickets, listReplies, ({ id }) => ({ ticket_id: id })),
  document('maintenance.json', readMaintenance),
  records('maintenance-runs.ndjson', listMaintenanceRuns),
  document('findings.json', listFindings),
  records('proposals.ndjson', listProposals),
  records('logs.ndjson', searchLogs),
]
