import { useState } from 'react'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { readConnection } from '#contract/databases.ts'

/** Shows the connection string when the person asks for it. It is forgotten when the dialog closes. */
export function ConnectionString({ name }: { name: string }) {
  const [text, setText] = useState<string>()
  return (
    <Dialog title={`Connect to ${name}`}>
      <p>
        The connection string contains the password of the owner role: whoever has it can read and change everything.
        Each time it is shown, the audit log records who saw it.
      </p>
      {/* An act and not a read, because answers of reads are kept. */}
      {text === undefined ? (
        <ActButton
          op={readConnection}
          input={{ name }}
          look="main"
          after={({ connection_string }) => setText(connection_string)}
        >
          Show connection string
        </ActButton>
      ) : (
        <Copy isBlock text={text} />
      )}
      <p className="soft">On the command line:</p>
      <Copy isBlock text={`psql "$(svc db connect ${name} -q)"`} />
    </Dialog>
  )
}
