#include "transport/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <sstream>

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

// A peer's texts are cut at a thousand, and the facts of the moment need room, too.
constexpr std::size_t kLongestAdvice = 700;

std::vector<CatalogueRow> AllRows() {
  std::vector<CatalogueRow> all;
  for (const FailureKind kind : kFailureKinds) {
    const std::span<const CatalogueRow> rows = CatalogueOf(kind);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

TEST(Catalogue, HasEveryStatusOfACompletion) {
  for (int status = IBV_WC_SUCCESS + 1; status <= IBV_WC_TM_RNDV_INCOMPLETE; ++status) {
    EXPECT_EQ(RowOfCompletion(status).code, status) << ibv_wc_status_str(ibv_wc_status(status));
  }
}

TEST(Catalogue, TakesAStatusThatNoHeaderNamesForAGeneralError) {
  EXPECT_EQ(RowOfCompletion(9999).name, "IBV_WC_GENERAL_ERR");
}

TEST(Catalogue, HasEveryAsynchronousEvent) {
  for (int event = IBV_EVENT_CQ_ERR; event <= IBV_EVENT_WQ_FATAL; ++event) {
    EXPECT_NE(RowOfEvent(event), nullptr) << ibv_event_type_str(ibv_event_type(event));
  }
  EXPECT_EQ(RowOfEvent(9999), nullptr);
}

// Of an event the run goes on where it may recover.
TEST(Catalogue, LetsARunOutliveAPortThatGoesDownAndNoBrokenQueue) {
  EXPECT_EQ(RowOfEvent(IBV_EVENT_PORT_ERR)->weight, Weight::kWarning);
  EXPECT_EQ(RowOfEvent(IBV_EVENT_GID_CHANGE)->weight, Weight::kWarning);
  EXPECT_EQ(RowOfEvent(IBV_EVENT_COMM_EST)->weight, Weight::kNothing);
  for (const int event : {IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL, IBV_EVENT_QP_ACCESS_ERR,
                          IBV_EVENT_SRQ_ERR, IBV_EVENT_DEVICE_FATAL}) {
    EXPECT_EQ(RowOfEvent(event)->weight, Weight::kFailure) << event;
  }
}

TEST(Catalogue, SaysOfACallWhatItMeansThere) {
  EXPECT_EQ(EntryOf(*RowOfCall("ibv_reg_mr", ENOMEM)), "ibv_reg_mr ENOMEM");
  EXPECT_THAT(RowOfCall("ibv_reg_mr", ENOMEM)->causes, HasSubstr("locked memory"));
  EXPECT_EQ(EntryOf(*RowOfCall("ibv_create_ah", EIO)), "EIO");
  EXPECT_EQ(RowOfCall("ibv_create_ah", EXDEV), nullptr);
}

TEST(Catalogue, FindsNoNeighbourBehindThreeErrors) {
  for (const int code : {EHOSTUNREACH, ETIMEDOUT}) {
    for (const char* call : {"ibv_modify_qp:rtr", "ibv_create_ah"}) {
      EXPECT_THAT(AdviceOf(*RowOfCall(call, code)), HasSubstr("ip neigh")) << call;
    }
  }
  EXPECT_THAT(AdviceOf(*RowOfCall("ibv_create_ah", ENETUNREACH)), HasSubstr("ip route get"));
}

// What rdmacm says of these is tested where it is used.
TEST(Catalogue, TellsReasonsOfAConnectionApart) {
  const CatalogueRow* any = RowOfConnection(8, 99);  // RDMA_CM_EVENT_REJECTED
  const CatalogueRow* refused = RowOfConnection(8, 28);
  ASSERT_TRUE(any != nullptr && refused != nullptr);
  EXPECT_EQ(EntryOf(*any), "RDMA_CM_EVENT_REJECTED");
  EXPECT_EQ(EntryOf(*refused), "RDMA_CM_EVENT_REJECTED 28");
  EXPECT_TRUE(any->may_pass && !refused->may_pass);
}

TEST(Catalogue, HasOneNameARow) {
  std::set<std::string> entries;
  for (const CatalogueRow& row : AllRows()) {
    EXPECT_TRUE(entries.insert(EntryOf(row)).second) << EntryOf(row) << " is there twice";
    ASSERT_NE(FindEntry(EntryOf(row)), nullptr);
    EXPECT_EQ(FindEntry(EntryOf(row))->meaning, row.meaning);
  }
  EXPECT_EQ(FindEntry("IBV_WC_NONE"), nullptr);
}

TEST(Catalogue, SaysOfEachRowWhatItMeansAndWhatToDo) {
  for (const CatalogueRow& row : AllRows()) {
    EXPECT_THAT(row.meaning, Not(IsEmpty())) << EntryOf(row);
    EXPECT_THAT(row.check, Not(IsEmpty())) << EntryOf(row);
    EXPECT_THAT(AdviceOf(row), SizeIs(Lt(kLongestAdvice))) << EntryOf(row);
    for (const std::string_view text : {row.meaning, row.causes, row.check}) {
      EXPECT_EQ(text.find('|'), text.npos) << "docs/errors.md is made of tables";
      EXPECT_FALSE(text.ends_with('.') || text.ends_with(' ')) << EntryOf(row);
    }
  }
}

TEST(Catalogue, HoldsFlushedRequestsAloneForConsequences) {
  for (const CatalogueRow& row : AllRows()) {
    const Error error = ErrorOf(row, Blame::kRun, "x");
    EXPECT_EQ(IsConsequence(error), row.name == "IBV_WC_WR_FLUSH_ERR") << EntryOf(row);
  }
  EXPECT_FALSE(IsConsequence(Error(Blame::kRun, "of no row")));
}

TEST(Catalogue, MakesErrorsThatSayWhatHappenedWhatItMeansAndWhatToDo) {
  const Error error = ErrorOf(RowOfCompletion(IBV_WC_RETRY_EXC_ERR), Blame::kRun, "status 12");
  EXPECT_THAT(error.what(), HasSubstr("status 12: the peer's port did not acknowledge"));
  EXPECT_THAT(error.remedy(), AllOf(HasSubstr("likely, in this order: "), HasSubstr("GID"),
                                    HasSubstr("MTU"), HasSubstr("4791"), HasSubstr(". To do: ")));
  EXPECT_EQ(error.entry(), "IBV_WC_RETRY_EXC_ERR");
}

TEST(Catalogue, MakesErrorsInTheirOwnWords) {
  const CatalogueRow& row = RowOfCompletion(IBV_WC_RETRY_EXC_ERR);
  const Error error = ErrorInOwnWords(row, Blame::kEnvironment, "it went wrong");
  EXPECT_STREQ(error.what(), "it went wrong");
  EXPECT_EQ(error.entry(), "IBV_WC_RETRY_EXC_ERR");
  EXPECT_EQ(error.blame(), Blame::kEnvironment);
  EXPECT_EQ(error.remedy(), AdviceOf(row));
}

TEST(Catalogue, MakesErrorsOfASessionInTheirOwnWordsWithTheBlameOfTheRow) {
  const Error error = SessionError("port_taken", "cannot listen on port 5");
  EXPECT_STREQ(error.what(), "cannot listen on port 5");
  EXPECT_EQ(error.entry(), "port_taken");
  EXPECT_EQ(error.blame(), Blame::kEnvironment);
  EXPECT_THAT(error.remedy(), HasSubstr("--port"));
  EXPECT_EQ(SessionError("silent", "x").blame(), Blame::kRun);
  EXPECT_THAT(SessionError("silent", "x").remedy(), HasSubstr("ping -M do -s SIZE"));
}

TEST(Catalogue, GivesNoAdviceToAUserWhoInterrupts) {
  const Error error = Interruption();
  EXPECT_STREQ(error.what(), "interrupted");
  EXPECT_EQ(error.entry(), "interrupted");
  EXPECT_EQ(error.blame(), Blame::kInterrupted);
  EXPECT_THAT(error.remedy(), IsEmpty());
}

// docs/errors.md has a line for each row.
TEST(Docs, HaveEachRow) {
  std::ostringstream page;
  page << std::ifstream("docs/errors.md").rdbuf();
  for (const CatalogueRow& row : AllRows()) {
    std::ostringstream line;
    line << "| `" << EntryOf(row) << "`";
    if (row.kind == FailureKind::kCompletion) line << " (" << row.code << ")";
    line << " | " << row.meaning << " | " << row.causes << " | " << row.check << " |\n";
    EXPECT_THAT(page.str(), HasSubstr(line.str()));
  }
}

}  // namespace
}  // namespace rdmabench
