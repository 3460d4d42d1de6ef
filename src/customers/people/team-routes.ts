// HTTP in and out for the team of an account: members, invitations and the audit log.
import { readAuditPage } from '../accounts/audit-log.ts';
import { AuditPage } from '../accounts/schema.ts';
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { pageOf, Paging, presentRow } from '../../base/lib/schema.ts';
import { signedInOf, visitorOf, type AnswerSession } from './requests.ts';
import * as shape from './schema.ts';
import { listMembers, listOpenInvitations, type InvitationRow } from './sql.ts';
import * as team from './team.ts';

export function teamRoutes(app: App, deps: Deps, answerSession: AnswerSession): void {
  const done = { object: 'done' as const };

  app.get('/members', hidden({}, shape.MemberPage), async (request) => {
    const { account } = signedInOf(request);
    const rows = await listMembers(deps.control, account.id);
    const data = rows.map((row) => ({ object: 'member' as const, ...presentRow(shape.Member, row), id: row.user_id }));
    return pageOf(data, 500, null);
  });

  app.patch('/members/:id', hidden({ params: shape.IdParams, body: shape.RoleForm }, shape.Done), async (request) => {
    const signedIn = signedInOf(request);
    team.requireDuty(signedIn, 'team');
    await team.changeRole(deps, signedIn, request.params.id, request.body.role);
    return done;
  });

  app.delete('/members/:id', hidden({ params: shape.IdParams }, shape.Done), async (request) => {
    const signedIn = signedInOf(request);
    if (request.params.id !== signedIn.user.id) team.requireDuty(signedIn, 'team');
    await team.removeMember(deps, signedIn, request.params.id);
    return done;
  });

  app.get('/invitations', hidden({}, shape.InvitationPage), async (request) => {
    const rows = await listOpenInvitations(deps.control, signedInOf(request).account.id, deps.clock());
    return pageOf(rows.map(presentInvitation), 500, null);
  });

  app.post('/invitations', hidden({ body: shape.InvitationForm }, shape.InvitationShape), async (request, reply) => {
    const signedIn = signedInOf(request);
    team.requireDuty(signedIn, 'team');
    const invitation = await team.invite(deps, signedIn, request.body);
    return reply.code(201).send(presentInvitation(invitation));
  });

  app.delete('/invitations/:id', hidden({ params: shape.IdParams }, shape.Done), async (request) => {
    const signedIn = signedInOf(request);
    team.requireDuty(signedIn, 'team');
    await team.withdrawInvitation(deps, signedIn, request.params.id);
    return done;
  });

  app.post('/invitations/accept', hidden({ body: shape.AcceptForm }, shape.SessionState), async (request, reply) => {
    const token = await team.acceptInvitation(deps, request.body, request.signedIn, visitorOf(request));
    return (await answerSession(reply, token)) as never;
  });

  app.get('/audit-log', hidden({ querystring: Paging }, AuditPage), (request) =>
    readAuditPage(deps, signedInOf(request).account.id, request.query),
  );
}

const presentInvitation = (row: InvitationRow) => ({
  object: 'invitation' as const,
  ...presentRow(shape.InvitationShape, row),
});
