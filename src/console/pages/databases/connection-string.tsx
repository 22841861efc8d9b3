import { useState } from 'react'
import { explain } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Copy } from '#console/parts/copy.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { readConnection } from '#contract/databases.ts'

/** Shows the connection string when the person asks for it. It is forgotten when the dialog closes. */
export function ConnectionString({ name, onClose }: { name: string; onClose: () => void }) {
  const [text, setText] = useState<string>()
  // An act and not a read, because answers of reads are kept.
  const read = useAct(readConnection, { changes: [], after: ({ connection_string }) => setText(connection_string) })
  return (
    <Dialog title={`Connect to ${name}`} onClose={onClose}>
      <p>
        The connection string contains the password of the owner role: whoever has it can read and change everything.
        Each time it is shown, the audit log records who saw it.
      </p>
      {text === undefined ? (
        <button
          type="button"
          className="button main"
          aria-busy={read.isRunning}
          onClick={() => !read.isRunning && read.run({ name })}
        >
          Show connection string
        </button>
      ) : (
        <Copy isBlock text={text} />
      )}
      {read.error !== null && (
        <p className="fault" role="alert">
          {explain(read.error)}
        </p>
      )}
      <p className="soft">On the command line:</p>
      <Copy isBlock text={`psql "$(svc db connect ${name} -q)"`} />
    </Dialog>
  )
}
