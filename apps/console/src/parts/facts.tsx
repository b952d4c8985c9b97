import { Age } from './time.js';

/** When a resource changed last, among its facts. */
export const Changed = ({ time }: { readonly time: string }) => (
  <span className="dim">
    changed <Age time={time} />
  </span>
);

/** Why a resource has its status, where the API says so. */
export const StatusReason = ({
  status,
  statusReason,
}: {
  readonly status: string;
  readonly statusReason: string | undefined;
}) =>
  statusReason ? (
    <p className="reason">
      <b>Why {status.toLowerCase()}:</b> {statusReason}
    </p>
  ) : null;
