export interface Appointment {
  readonly title: string;
  /** First and last day. */
  readonly from: string;
  readonly to: string;
}

export const APPOINTMENTS: readonly Appointment[] = [
  { title: "Board meeting", from: "2027-03-10", to: "2027-03-10" },
  { title: "Fair in Hanover", from: "2027-03-31", to: "2027-04-02" },
  { title: "Launch of the spring release", from: "2027-04-20", to: "2027-04-22" },
  { title: "Dentist", from: "2027-05-06", to: "2027-05-06" },
  { title: "Wedding of Ada and Grace", from: "2027-05-22", to: "2027-05-23" },
];
