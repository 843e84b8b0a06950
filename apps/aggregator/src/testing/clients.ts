// For the README.
export { limitsOf } from '../clients/summary.ts';
export { CLIENTS } from '../clients/table.ts';
