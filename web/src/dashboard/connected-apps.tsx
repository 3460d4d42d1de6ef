// Apps that people of the account have connected, with a way to end each.
import { useCall, useCaller } from '../caller.tsx';
import { day } from '../format.ts';
import { Badge, Card, Empty, ProblemNotice, SureButton } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useAct, useApi } from '../use-api.ts';

interface Grant {
  id: string;
  client_name: string;
  origin: string;
  mode: 'test' | 'live';
  scopes: string[];
  email: string;
  created_at: string;
  last_used_at: string | null;
}

export function ConnectedApps() {
  const { session } = useCaller();
  const send = useCall();
  const list = useApi<{ data: Grant[] }>(session ? '/session/grants' : null);
  const end = useAct(async (id: string) => {
    await send(`/session/grants/${id}`, { method: 'DELETE' });
    list.reload();
  });
  if (!session) return null;
  return (
    <Card
      flush
      title="Connected apps"
      lead="Assistants and tools that signed in to this account. Each acts as a key of its own."
    >
      <ProblemNotice problem={list.problem ?? end.problem} />
      {list.data?.data.length === 0 && (
        <Empty icon="key" title="No apps are connected">
          Add the URL above to an assistant, and it appears here once you have signed in.
        </Empty>
      )}
      {list.data && list.data.data.length > 0 && (
        <Table
          caption="Connected apps"
          rows={list.data.data}
          keyOf={({ id }) => id}

          columns={[
            {
              head: 'App',
              wide: true,
              cell: (grant) => (
                <>
                  <strong>{grant.client_name}</strong>
                  <div className="fine">
                    {grant.origin} · {grant.email}
                  </div>
                </>
              ),
            },
            {
              head: 'Data',
              cell: ({ mode }) => (
                <Badge tone={mode === 'live' ? 'info' : 'neutral'}>{mode === 'live' ? 'Live' : 'Sandbox'}</Badge>
              ),
            },
            { head: 'Connected', cell: ({ created_at }) => day(created_at) },
            { head: 'Last used', cell: ({ last_used_at }) => (last_used_at ? day(last_used_at) : 'Never') },
            {
              head: '',
              align: 'right',
              cell: ({ id, client_name }) => (
                <SureButton
                  small
                  sure="End access"
                  aria-label={`End access of ${client_name}`}
                  onSure={() => void end.run(id)}
                >
                  Disconnect
                </SureButton>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
