import { cancelSubject } from '@stave/contracts';
import { groupToken, type RingView } from '@stave/domain';
import type { Messaging } from '@stave/platform';

/** Notifies a conductor that a task it holds was superseded. Conductors of earlier releases have no group in their subject. */
export function publishCancel(
  messaging: Pick<Messaging, 'publish'>,
  view: RingView,
  { conductor, taskId }: { readonly conductor: string; readonly taskId: string },
): void {
  const member = view.member(conductor);
  messaging.publish(cancelSubject(conductor), { taskId });
  if (member) messaging.publish(cancelSubject(conductor, groupToken(member.group)), { taskId });
}
