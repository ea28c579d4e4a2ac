// What APNs said about tokens: the breakers, and the tokens out of use.

import { call, get } from './api.js';
import { days } from './charts.js';
import { count, h, moment, time, tokens } from './dom.js';
import { link } from './route.js';
import { action, badge, button, confirm, empty, heading, panel, table, toast } from './ui.js';

/// Reasons in plain words.
const reasons = {
  BadDeviceToken: 'APNs does not know the token: it is of the other environment, or broken.',
  disabled: 'It was switched off in the service that it was imported from.',
};

export default async function feedback({ app, signal }) {
  const [{ items: breakers }, stats, { items: quarantined }] = await Promise.all([
    get(['apps', app, 'feedback', 'breakers'], {}, signal),
    get(['apps', app, 'stats'], { max_age: 3600 }, signal),
    get(['apps', app, 'installations'], { status: 'quarantined', limit: 50 }, signal),
  ]);
  const sum = (status) => Object.values(stats.status).reduce((sum, kind) => sum + kind[status], 0);
  const all = (status) => action(`${count(sum(status), 'token')} ${status}`, link([app, 'devices'], { status }));
  return [
    heading('Feedback', 'What APNs answered to the sender, and what became of the tokens.'),
    h('div', { class: 'columns thirds' }, breakers.length > 0 ? breakers.map((breaker) => breakerPanel(app, breaker))
      : empty('No refusal has been reported.', h('p', {}, 'Let the sender post what APNs answers.')),
    panel('By day', days('The days',
      [{ name: 'Tokens taken out of use', kind: 'warn', days: stats.invalidations }]))),
    panel('Tokens out of use',
      h('p', {}, 'APNs refused the tokens in quarantine. Each comes back into use when its app registers it again. ' +
        'An invalid token belongs to an app that was removed, or to another app.'),
      h('div', { class: 'actions' }, all('quarantined'), all('invalid')),
      quarantined.length > 0 && table('The first devices with a token in quarantine', [
        { name: 'Device in quarantine', cell: ({ device: { installation_id: id, device_model: model } }) =>
          h('a', { href: link([app, 'devices', id]) }, model ?? id.slice(0, 8)) },
        { name: 'Environment', cell: ({ device }) => device.environment },
        { name: 'App', cell: ({ device }) => device.app_version },
        { name: 'Since', cell: ({ invalidated_at }) => time(invalidated_at) },
        { name: 'Why', cell: ({ reason }) => reason && [reasons[reason], ' ', h('code', {}, reason)] },
      ], quarantined.flatMap((device) => tokens(device.credentials)
        .filter(({ status }) => status === 'quarantined').map((credential) => ({ device, ...credential }))))),
  ];
}

function breakerPanel(app, { environment, state, ...times }) {
  const isOpen = state === 'open';
  const isTrusted = Date.parse(times.trusted_until) > Date.now();
  const element = panel(`Breaker of ${environment}`,
    h('p', {}, isOpen ? badge('open', 'bad') : badge('closed', 'good'), ' ', isOpen
      ? 'APNs refused many tokens at once. Most likely your sender uses the wrong environment or topic, so all ' +
        'tokens stay in use.'
      : isTrusted ? 'An admin said that the refusals are right: Postilion takes each refused token out of use.'
        : 'If APNs refuses a token, Postilion takes it out of use. If APNs refuses 20 or more within a minute, the breaker ' +
          'opens.'),
    h('p', { class: 'quiet' }, isOpen && ['Opened ', time(times.opened_at), '. '],
      times.last_refused_at && ['Last refusal ', time(times.last_refused_at), '. '],
      isOpen && `Without another one it closes on ${moment(times.closes_at)}.`,
      isTrusted && `This ends on ${moment(times.trusted_until)}.`),
    isOpen && h('div', { class: 'actions' }, button('Believe refusals again', believe, 'danger')));

  async function believe() {
    if (!await confirm(`Believe refusals of ${environment}?`, 'Do this when the tokens are really bad, or the sender ' +
      'is mended. For an hour each refusal takes its token out of use, however many come.', 'Believe refusals')) return;
    try {
      await call('DELETE', ['apps', app, 'feedback', 'breakers', environment]);
      const { items } = await get(['apps', app, 'feedback', 'breakers']);
      element.replaceWith(breakerPanel(app, items.find((item) => item.environment === environment)));
      toast('Refusals are believed again.');
    } catch (error) { toast(error.message, { kind: 'bad' }); }
  }
  return element;
}
